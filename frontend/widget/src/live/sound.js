/** Two soft notes, made on the spot: nothing is fetched. A page that may not sound stays silent. */
export function chime() {
  try {
    const audio = new AudioContext();
    const gain = audio.createGain();
    gain.gain.setValueAtTime(0.06, audio.currentTime);
    gain.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.5);
    gain.connect(audio.destination);
    for (const [place, pitch] of [660, 880].entries()) {
      const note = audio.createOscillator();
      note.frequency.value = pitch;
      note.connect(gain);
      note.start(audio.currentTime + place * 0.14);
      note.stop(audio.currentTime + 0.5);
      note.onended = () => void audio.close().catch(() => {});
    }
  } catch {
    // No sound on this device.
  }
}
