/** The times of a period in which an organization was suspended, or one of its gateways paused. */
import type { AuditRecord, GatewayActivity, Total } from "../../api/types.ts"
import type { Band } from "../../ui/chartBands.ts"

const setting = "isSuspended"

/**
 * The suspensions between two times, from the changes of the settings, newest first. `isSuspended`: whether the
 * organization is suspended at `to`.
 */
export const suspensionsIn = (
  changes: ReadonlyArray<Pick<AuditRecord, "at" | "before" | "after">>,
  isSuspended: boolean,
  { from, to }: Band,
): ReadonlyArray<Band> => {
  const bands: Array<Band> = []
  let end = to
  let isOpen = isSuspended
  for (const { after, at, before } of changes) {
    if (before?.[setting] === after?.[setting]) continue
    const time = Date.parse(at)
    if (after?.[setting] === true) {
      bands.push({ from: time, to: end })
      isOpen = false
    } else {
      end = time
      isOpen = true
    }
  }
  return isOpen ? [...bands, { from, to: end }] : bands
}

/** The pauses of the gateways that the messages went to. A pause without an end goes on until `now`. */
export const pausesOf = (
  gateways: ReadonlyArray<Pick<GatewayActivity, "gateway" | "pauses">>,
  totals: ReadonlyArray<Pick<Total, "gateway">>,
  now: number,
): ReadonlyArray<Band & { readonly gateway: string }> => {
  const used = new Set(totals.map(({ gateway }) => gateway))
  return gateways
    .filter(({ gateway }) => used.has(gateway))
    .flatMap(({ gateway, pauses }) =>
      pauses.map(({ from, to }) => ({
        gateway,
        from: Date.parse(from),
        to: to === null ? now : Date.parse(to),
      })),
    )
}
