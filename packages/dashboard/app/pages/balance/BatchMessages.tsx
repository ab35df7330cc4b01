import { Link } from "wouter"
import { useRead, withQuery } from "../../api/client.ts"
import type { Movement, MovementPage } from "../../api/types.ts"
import { useI18n } from "../../i18n/i18n.tsx"
import { useOrganization, useSession } from "../../session.tsx"
import { Time } from "../../ui/data.tsx"
import { Loaded } from "../../ui/states.tsx"
import { ToMessage } from "./Transactions.tsx"

/** The newest messages of a batch in the ledger, one by one, and the way to all of them. */
const BatchMessages = ({ movement }: { readonly movement: Movement }) => {
  const { format, t } = useI18n()
  const { host } = useSession()
  const { api, page } = useOrganization()
  const { batchId, messages, sequence } = movement
  const query = useRead<MovementPage>(
    withQuery(api("movements"), { batchId, before: sequence + 1, limit: 20 }),
  )
  return (
    <Loaded query={query}>
      {({ movements }) => (
        <ul className="folded-rows">
          {movements.map((one) => (
            <li key={one.sequence}>
              <span className="muted">
                <Time iso={one.at} />
              </span>
              <span>
                <ToMessage movement={one} />
              </span>
              <span className="money">{format.change(one.change, host.currency)}</span>
            </li>
          ))}
          {movements.length < messages && (
            <li>
              <Link href={page(withQuery("messages", { batch: batchId }))}>
                {t.balance.allOfBatch}
              </Link>
            </li>
          )}
        </ul>
      )}
    </Loaded>
  )
}

export default BatchMessages
