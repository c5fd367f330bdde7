// Before the first paint: a chosen theme wins over the system's, and the page does not flash.
document.documentElement.dataset.theme =
  localStorage.getItem("ventris-theme") ||
  (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
