// The evaluation bar: from −1 (player_1 wins) to 1 (player_0 wins).

import { t } from "./words.js";

export function showBar(element, value, players) {
  const filled = element.firstElementChild;
  const share = value === null || value === undefined ? 0.5 : (1 + value) / 2;
  filled.style.height = `${100 * share}%`;
  filled.style.backgroundColor = players[0].colour ?? "#d7263d";
  element.style.backgroundColor = players[1].colour ?? "#f2b705";
  element.classList.toggle("unknown", value === null || value === undefined);
  const leader = value > 0.02 ? 0 : value < -0.02 ? 1 : null;
  const text =
    leader === null
      ? t("analyse.bar_even")
      : `${players[leader].name} ${Math.round(50 + 50 * Math.abs(value))} %`;
  element.setAttribute("aria-label", t("analyse.bar", { value: text }));
  element.title = text;
}
