/** What few calls need, loaded when one does. */
export const rare = () => import('./rare.ts')
