/** What an ordinary run never needs, loaded when it is first needed. */
export const rare = () => import('./rare.ts')
