// SPDX-License-Identifier: Apache-2.0
// Light and dark: as the system has it, until the button says otherwise.

const themeListeners = [];

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

function onThemeChange(listener) { themeListeners.push(listener); }

function setUpTheme() {
  const changed = () => themeListeners.forEach((listener) => listener());
  byId('theme').addEventListener('click', () => {
    document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
    changed();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed);
}

const themeColour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Hues that are told apart by most eyes, also next to each other. The thirteenth is the first again.
const HUES = [215, 28, 150, 285, 340, 185, 55, 250, 105, 5, 315, 200];
function hue(index, alpha = 1) {
  const degrees = HUES[index % HUES.length];
  return isDark() ? `hsl(${degrees} 75% 68% / ${alpha})` : `hsl(${degrees} 68% 40% / ${alpha})`;
}
