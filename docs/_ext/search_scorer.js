/* How Sphinx's search orders its results: as it does by itself, but a name of halfcl comes before the
   same name of a part: `halfcl.sqrt` before `halfcl.interval.sqrt`. Sphinx sorts equal ones by letters. */
var Scorer = {
  // Less than the steps between kinds of matches, which are whole numbers, for each dot.
  score: ([, title, , description, score]) =>
    description === null ? score : score - 0.01 * title.split(".").length,

  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
