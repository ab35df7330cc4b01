import { Component, type ReactNode } from "react"
import { useI18n } from "../i18n/i18n.tsx"
import { Button } from "./button.tsx"
import { Empty } from "./states.tsx"

const Broken = () => {
  const { t } = useI18n()
  return (
    <div role="alert">
      <Empty title={t.state.failed} hint={t.state.unexpected}>
        <Button onClick={() => location.reload()}>{t.state.reload}</Button>
      </Empty>
    </div>
  )
}

interface Props {
  readonly children: ReactNode
}

/** Shows what to do if a page breaks, such as after an update of the host while the page was open. */
export class Boundary extends Component<Props, { readonly isBroken: boolean }> {
  override state = { isBroken: false }
  static getDerivedStateFromError() {
    return { isBroken: true }
  }
  override render(): ReactNode {
    return this.state.isBroken ? <Broken /> : this.props.children
  }
}
