// The rule follow-up over the board: its answer, and whether it gives value away.

import { mistake, negate } from "./game.js";
import { texts, valueText } from "./texts.js";

/** Compares the rule's column with the values. Returns a text, and the change such as "win to tie" or "". */
export function judge(column, fact) {
  const child = fact?.children.find((other) => other.column === column);
  const best = fact?.children[0];
  const say = (text, gives = "") => ({ text: `${texts.rule(column)}: ${text}`, gives });
  if (!child?.value || !fact.value) return say(texts.ruleUnknown);
  const lost = mistake(fact.value, negate(child.value));
  if (lost) return say(texts.ruleGives(texts.change(lost)), texts.change(lost));
  if (best && best.remoteness !== child.remoteness) {
    return say(texts.ruleSlower(valueText(best.value, best.remoteness), valueText(child.value, child.remoteness)));
  }
  return say(texts.ruleKeeps);
}
