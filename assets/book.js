// Sortable tables look for the class "dark"; the theme says so in data-theme.
(() => {
  const root = document.documentElement;
  const follow = () => root.classList.toggle("dark", root.dataset.theme === "dark");
  new MutationObserver(follow).observe(root, { attributes: true, attributeFilter: ["data-theme"] });
  follow();
})();
