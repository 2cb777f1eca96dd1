// A soft knock when a piece lands, made by the browser.

let audio;

/** Knocks, if sound is wanted. Browsers that have no sound stay quiet. */
export function click(isWanted) {
  if (!isWanted || !globalThis.AudioContext || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  audio ??= new AudioContext();
  audio.resume();
  const [tone, volume, now] = [audio.createOscillator(), audio.createGain(), audio.currentTime + 0.25];
  tone.frequency.setValueAtTime(220, now);
  tone.frequency.exponentialRampToValueAtTime(90, now + 0.08);
  volume.gain.setValueAtTime(0.15, now);
  volume.gain.exponentialRampToValueAtTime(0.001, now + 0.1);
  tone.connect(volume).connect(audio.destination);
  tone.start(now);
  tone.stop(now + 0.1);
}
