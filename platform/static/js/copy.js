// A "Copy" button copies the text of the element whose id it names.

for (const button of document.querySelectorAll("button[data-copy]")) {
  const source = document.getElementById(button.dataset.copy);
  const label = button.textContent;
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(source.textContent);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select the text and copy it by hand";
    }
    setTimeout(() => { button.textContent = label; }, 2000);
  });
}
