// A game to step through in a page of its own.
{
  const game = JSON.parse(document.getElementById("game").textContent);
  const slider = document.getElementById("ply");
  const said = document.getElementById("said");
  const show = (ply) => {
    slider.value = Math.max(0, Math.min(game.frames.length - 1, ply));
    const shapes = game.frames[slider.value].map((number) => game.shapes[number]).join("");
    const [width, height] = game.size;
    document.getElementById("board").innerHTML =
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">` +
      `<rect width="${width}" height="${height}" fill="${game.background}"/>${shapes}</svg>`;
    const move = Number(slider.value) ? game.moves[slider.value - 1] : "";
    said.textContent = `${slider.value} / ${game.moves.length} ${move}`;
  };
  slider.max = game.frames.length - 1;
  slider.addEventListener("input", () => show(Number(slider.value)));
  document.getElementById("back").addEventListener("click", () => show(Number(slider.value) - 1));
  document.getElementById("forth").addEventListener("click", () => show(Number(slider.value) + 1));
  show(game.frames.length - 1);
}
