"""TreeQuest: its search gives out places of the tree, and a pool of threads asks the model for each.

It calls no model itself; how many calls go beside each other is its user's doing.
"""

from concurrent.futures import ThreadPoolExecutor


def load():
    """Import the peer."""
    global tq, OpenAI
    import treequest as tq
    from openai import OpenAI


def _client(given):
    client = OpenAI(base_url=given["base"], api_key="none", max_retries=0)

    def ask(text):
        said = client.chat.completions.create(model="script", messages=[{"role": "user", "content": text}])
        return said.choices[0].message.content

    return ask


def leaves(given):
    """Take so many places of one batch and ask for each."""
    ask, algorithm = _client(given), tq.ABMCTSA()
    state, trials = algorithm.ask_batch(algorithm.init_tree(), given["leaves"], ["look"])
    with ThreadPoolExecutor(given.get("parallel", 64)) as pool:
        said = list(pool.map(lambda n: ask(f"Look at thing {n}."), range(len(trials))))
    for trial, text in zip(trials, said, strict=True):
        state = algorithm.tell(state, trial.trial_id, (text, float("blue" in text)))
    return {"answer": tq.top_k(state, algorithm, k=1)[0][0], "levels": 1}


saved = leaves  # its state can be pickled by its user between batches; within one, nothing is kept


def game24(given):
    """Play each puzzle with its Monte Carlo search, until 24 is reached or the calls are used up.

    A node asks for proposals once and gives out one after the other; each has one call for its value.
    """
    return {"answers": [_play(given, puzzle) for puzzle in given["puzzles"]]}


def _play(given, puzzle):
    ask, asked, left = _client(given), [0], {}

    def counted(text):
        asked[0] += 1
        return ask(text)

    def grow(parent):
        numbers, told = parent or (puzzle, "")
        if told not in left:
            known = counted(f"Input: {numbers}\nPossible next steps:\n") if " " in numbers else ""
            left[told] = known.splitlines()
        if not left[told]:
            return (numbers, told), 0.0
        line = left[told].pop(0)
        after = line.split("left: ")[1].rstrip(")")
        word = counted(given["value"].format(numbers=after)).strip()
        return (after, told + line + "\n"), given["words"][word] / given["words"]["sure"]

    algorithm = tq.StandardMCTS(samples_per_action=6, exploration_weight=1.0)
    state = algorithm.init_tree()
    for _ in range(5 * given["calls"]):
        state = algorithm.step(state, {"step": grow})
        done = [s for s, _ in algorithm.get_state_score_pairs(state) if s[0] == "24"]
        if done or asked[0] >= given["calls"]:
            return done[0][1] if done else ""
    return ""
