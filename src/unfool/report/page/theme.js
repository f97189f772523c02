// The page's colours: the system's, light, or dark.

function themes() {
  const names = ["auto", "light", "dark"];
  const control = document.getElementById("theme");
  // A page opened from a file may not be allowed to remember anything.
  const remembered = (() => {
    try {
      return localStorage.getItem("unfool-theme");
    } catch {
      return null;
    }
  })();
  const set = (name) => {
    document.documentElement.dataset.theme = name;
    control.textContent = `Theme: ${name}`;
    try {
      localStorage.setItem("unfool-theme", name);
    } catch {
      /* then it is chosen anew */
    }
  };
  control.addEventListener("click", () =>
    set(names[(names.indexOf(document.documentElement.dataset.theme) + 1) % names.length]),
  );
  set(names.includes(remembered) ? remembered : "auto");
}
