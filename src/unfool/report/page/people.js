// What people said of changed texts, where their votes were entered into the run.

const PEOPLE = [
  ["", "all"],
  ["agree", "agree with the label"],
  ["disagree", "disagree"],
  ["undecided", "have no majority"],
];

const votesOf = (sample) => sample.run.people?.votes[sample.id] ?? [];

// Of several questions about a text, one that people answer otherwise is enough to disagree.
function peopleSay(sample) {
  const said = votesOf(sample).map(({ agree }) => agree);
  if (!said.length) return null;
  if (said.includes(false)) return "disagree";
  return said.includes(null) ? "undecided" : "agree";
}

function votesOn(sample) {
  return votesOf(sample).map(({ task, answers }) => {
    const told = Object.entries(answers).map(([answer, times]) => `${shown(answer)} ${times}`);
    return make("small", {}, `people, ${task}: ${told.join(", ")}`);
  });
}

function peopleFigures(run) {
  const valid = run.people?.valid;
  if (!valid) return [];
  const { agreed } = valid;
  return [
    {
      name: "Valid success rate",
      value: share(valid.value),
      small: `${interval(valid)} · fools the victim, not the people: ${count(agreed.count)} of ${count(agreed.of)} judged`,
      rate: valid,
    },
  ];
}
