import { type ComponentType, lazy } from "react"

/** Safari has no `requestIdleCallback`. */
const laterMillis = 2_000

const whenIdle = (load: () => void): void => {
  if ("requestIdleCallback" in window) requestIdleCallback(load)
  else setTimeout(load, laterMillis)
}

/**
 * A component that is not part of the first load of a page. It is loaded when the browser is idle, so that it is there
 * when it is needed, even if the connection is lost before.
 */
export const onDemand = <P>(load: () => Promise<{ readonly default: ComponentType<P> }>) => {
  // What fails here is loaded again when it is wanted.
  whenIdle(() => void load().catch(() => undefined))
  return lazy(load)
}
