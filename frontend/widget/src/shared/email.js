/** One address, as strict as a typo deserves; whether it exists, only mail can tell. */
export const EMAIL = /^(?!.*[,;<>"])[^\s@]{1,64}@[^\s@]+\.[^\s@.]{2,}$/;
