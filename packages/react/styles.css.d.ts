// Side-effect imports need a declaration.
// oxlint-disable-next-line unicorn/require-module-specifiers -- the stylesheet exports nothing
export {}
