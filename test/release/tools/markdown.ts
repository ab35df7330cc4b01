/**
 * The code blocks of a Markdown text.
 */
import type { Nodes } from "mdast"
import { fromMarkdown } from "mdast-util-from-markdown"

export interface Block {
  /** The first word behind the opening fence; empty if there is no word. */
  readonly language: string
  readonly code: string
  /** Of the opening fence, counted from 1. */
  readonly line: number
  /** The text of an HTML comment above the fence. */
  readonly comment: string | undefined
  /** False for a fence that is never closed. */
  readonly isClosed: boolean
}

export const blocksOf = (markdown: string): ReadonlyArray<Block> => {
  const within = (node: Nodes, previous?: Nodes): ReadonlyArray<Block> => {
    if ("children" in node) {
      return node.children.flatMap((child, index) => within(child, node.children[index - 1]))
    }
    if (node.type !== "code") return []
    const { end, start } = node.position ?? {}
    const [first = "", ...others] = markdown.slice(start?.offset, end?.offset).split("\n")
    const fence = /^(`|~)*/.exec(first)?.[0] ?? ""
    const above = previous?.type === "html" ? previous.value : ""
    return [
      {
        language: node.lang ?? "",
        code: node.value,
        line: start?.line ?? 0,
        comment: /^<!--\s*(.*?)\s*-->$/.exec(above)?.[1],
        isClosed: others.at(-1)?.endsWith(fence) === true,
      },
    ]
  }
  return within(fromMarkdown(markdown))
}
