// What is being played, on the front page: asked for again and again while somebody looks at it.

const EVERY = 3000; // milliseconds

const box = document.querySelector("[data-now]");

async function renew() {
  if (document.hidden) return;
  const answer = await fetch(box.dataset.now).catch(() => null);
  // The next time may do.
  if (!answer?.ok) return;
  const news = await answer.text();
  const at = box.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  box.innerHTML = news;
  if (at) box.querySelector(`a[href="${at}"]`)?.focus();
}

setInterval(renew, EVERY);
document.addEventListener("visibilitychange", renew);
