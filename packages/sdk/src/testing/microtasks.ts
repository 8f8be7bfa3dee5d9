/** Lets everything happen that needs no timer and no input. */
export async function microtasks(rounds = 100): Promise<void> {
  for (let i = 0; i < rounds; i++) await undefined
}
