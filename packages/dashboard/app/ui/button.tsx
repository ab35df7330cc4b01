import type { ComponentProps } from "react"

type Variant = "primary" | "secondary" | "danger" | "quiet"

interface Props extends ComponentProps<"button"> {
  readonly variant?: Variant
  /** Shows that the action is under way, and does not begin it again. */
  readonly busy?: boolean
}

export const Button = ({
  busy = false,
  className,
  onClick,
  variant = "secondary",
  ...rest
}: Props) => (
  <button
    type="button"
    {...rest}
    className={`button ${variant} ${className ?? ""}`}
    aria-busy={busy || undefined}
    onClick={busy ? (event) => event.preventDefault() : onClick}
  />
)
