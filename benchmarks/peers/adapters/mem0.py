"""mem0, local: its own store on disk and vectors from the server; texts are kept as they are (no model)."""

import os
import time


def load():
    """Import the peer."""
    os.environ["MEM0_DIR"] = os.path.join(os.getcwd(), "mem0")
    global Memory
    from mem0 import Memory


def memories(given):
    """Write the texts and ask for some of them."""
    place = given["place"]
    os.makedirs(place, exist_ok=True)
    store = {"path": f"{place}/store", "embedding_model_dims": given["dim"], "on_disk": True}
    embedder = {"model": "script", "embedding_dims": given["dim"], "openai_base_url": given["base"]}
    model = {"model": "script", "openai_base_url": given["base"], "api_key": "none"}
    memory = Memory.from_config({
        "vector_store": {"provider": "qdrant", "config": store},
        "embedder": {"provider": "openai", "config": {**embedder, "api_key": "none"}},
        "llm": {"provider": "openai", "config": model},
        "history_db_path": f"{place}/history.db",
    })  # fmt: skip
    began = time.perf_counter()
    for text in given["texts"]:
        memory.add(text, user_id="u", infer=False)
    wrote, took, right = time.perf_counter() - began, [], 0
    for number in given["asked"]:
        start = time.perf_counter()
        found = memory.search(given["texts"][number], filters={"user_id": "u"}, top_k=5)["results"]
        took.append(time.perf_counter() - start)
        right += bool(found) and found[0]["memory"] == given["texts"][number]
    return {"wrote": wrote, "took": took, "right": right}
