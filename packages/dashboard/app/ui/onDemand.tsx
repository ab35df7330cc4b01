/** What most visits do not open, such as a dialog: its code is loaded when it is shown. */
import { type ComponentType, lazy, Suspense } from "react"

export const onDemand = <P extends object>(
  load: () => Promise<ComponentType<P>>,
): ComponentType<P> => {
  const Loaded = lazy(async () => ({ default: await load() }))
  return (props) => (
    <Suspense fallback={null}>
      <Loaded {...props} />
    </Suspense>
  )
}
