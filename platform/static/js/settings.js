// The page of settings: a choice shows on the page at once, before it is saved.

const form = document.getElementById("settings");
const root = document.documentElement;

form.addEventListener("change", ({ target }) => {
  root.dataset[target.name] = target.value;
  document.getElementById("said").textContent = "Shown here; save it to keep it.";
});
