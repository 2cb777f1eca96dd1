# Installs the program fourbase VERSION: downloads the archive, checks it, and puts the program into a folder of PATH, which is FOURBASE_BIN
# if that is set. FOURBASE_RELEASE is another address of the files.
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

$release = if ($env:FOURBASE_RELEASE) { $env:FOURBASE_RELEASE } else { 'ADDRESS/releases/download/vVERSION' }
$bin = if ($env:FOURBASE_BIN) { $env:FOURBASE_BIN } else { Join-Path $env:LOCALAPPDATA 'Programs\fourbase' }
$name = 'fourbase-VERSION-x86_64-pc-windows-gnu'
$folder = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid())
New-Item -ItemType Directory -Path $folder | Out-Null
try {
    foreach ($file in "$name.zip", 'SHA256SUMS') { Invoke-WebRequest -UseBasicParsing "$release/$file" -OutFile (Join-Path $folder $file) }
    $sum = (Get-FileHash (Join-Path $folder "$name.zip") -Algorithm SHA256).Hash.ToLower()
    if ((Get-Content (Join-Path $folder 'SHA256SUMS')) -notcontains "$sum  $name.zip") { throw "$name.zip is not the file of SHA256SUMS; try again" }
    Expand-Archive (Join-Path $folder "$name.zip") -DestinationPath $folder
    New-Item -ItemType Directory -Path $bin -Force | Out-Null
    Move-Item (Join-Path $folder "$name\fourbase.exe") (Join-Path $bin 'fourbase.exe') -Force
} finally {
    Remove-Item $folder -Recurse -Force
}
# The path as it is written, with its own variables.
$user = [Microsoft.Win32.Registry]::CurrentUser.OpenSubKey('Environment', $true)
$path = $user.GetValue('Path', '', 'DoNotExpandEnvironmentNames')
if (($path -split ';') -notcontains $bin) {
    $user.SetValue('Path', "$path;$bin".TrimStart(';'), 'ExpandString')
    # Any change by this method tells running programs to read the variables again.
    [Environment]::SetEnvironmentVariable('FOURBASE_INSTALLED', $null, 'User')
}
Write-Output "installed $bin\fourbase.exe; open a new terminal"
