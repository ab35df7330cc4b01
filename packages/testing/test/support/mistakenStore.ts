import type { Command, Tag } from "@countersign/core/decide/Command"
import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import { Store } from "@countersign/core/ports/Store"
import * as Layer from "effect/Layer"

type StoreService = Store["Service"]

/** The memory store with a mistake in it. */
export const withMistake = (
  change: (store: StoreService) => Partial<StoreService>,
): Layer.Layer<Store> =>
  Layer.sync(Store, () => {
    const store = MemoryStore.make()
    return Store.of({ ...store, ...change(store) })
  })

type Alter = <T extends Tag>(command: Command<T>) => Command<T>

/** A store that gets another command than it was given. */
export const altered =
  (alter: Alter) =>
  (store: StoreService): Partial<StoreService> => ({
    execute: (command) => store.execute(alter(command)),
  })

/** The memory store, which gets another command than it was given. */
export const altering = (alter: Alter): Layer.Layer<Store> => withMistake(altered(alter))

/** The memory store, which gets the commands with a tag with other fields. */
export const setting = (tag: Tag, fields: object): Layer.Layer<Store> =>
  altering((command) => (command._tag === tag ? Object.assign({}, command, fields) : command))

/** The memory store, which forgets a field of the commands with a tag. */
export const without = (tag: Tag, field: string): Layer.Layer<Store> =>
  setting(tag, { [field]: undefined })
