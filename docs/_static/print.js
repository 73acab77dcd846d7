/* Paper is light: the dark theme's pale text and yellow comments cannot be read on it. */
"use strict";

(() => {
  const page = document.documentElement;
  let theme;
  addEventListener("beforeprint", () => {
    theme = page.dataset.theme;
    page.dataset.theme = "light";
  });
  addEventListener("afterprint", () => { page.dataset.theme = theme; });
})();
