#!/bin/sh
# Installs the program fourbase VERSION: downloads the archive for this machine, checks it, and puts the program into ~/.local/bin, or into
# the folder FOURBASE_BIN. FOURBASE_RELEASE is another address of the files.
set -eu

get() {
  if command -v curl >/dev/null; then curl -fsSLO "$1"; else wget -q "$1"; fi || { echo "cannot download $1" >&2; exit 1; }
}

# A function, so that half of a download runs nothing.
main() {
  release=${FOURBASE_RELEASE:-ADDRESS/releases/download/vVERSION}
  bin=${FOURBASE_BIN:-$HOME/.local/bin}
  case $(uname -s)-$(uname -m) in
    Linux-x86_64) target=x86_64-unknown-linux-musl ;;
    Linux-aarch64 | Linux-arm64) target=aarch64-unknown-linux-musl ;;
    Darwin-x86_64) target=x86_64-apple-darwin ;;
    Darwin-arm64) target=aarch64-apple-darwin ;;
    *) echo "there is no program for $(uname -s) on $(uname -m); build it from its source: ADDRESS" >&2; exit 1 ;;
  esac
  name=fourbase-VERSION-$target
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  mkdir -p "$bin"
  bin=$(cd "$bin" && pwd)
  cd "$folder"
  get "$release/$name.tar.gz"
  get "$release/SHA256SUMS"
  if command -v sha256sum >/dev/null; then check=sha256sum; else check="shasum -a 256"; fi
  command -v "${check%% *}" >/dev/null || { echo "sha256sum or shasum is needed" >&2; exit 1; }
  grep "  $name.tar.gz\$" SHA256SUMS | $check -c - >/dev/null || { echo "$name.tar.gz is not the file of SHA256SUMS; try again" >&2; exit 1; }
  tar -xzf "$name.tar.gz"
  mv "$name/fourbase" "$bin/fourbase"
  echo "installed $bin/fourbase"
  case ":$PATH:" in *":$bin:"*) ;; *) echo "add $bin to PATH" ;; esac
}

main
