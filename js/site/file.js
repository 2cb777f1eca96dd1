// Says what to do where the page was opened from a file: browsers load no modules from there. It is part of the document.

if (location.protocol === "file:") {
  document.addEventListener("DOMContentLoaded", () => {
    document.getElementById("error").textContent = "A browser cannot run this page from a file. Serve its folder, for example with "
      + "\"python3 -m http.server 8000\", and open http://localhost:8000/.";
  });
}
