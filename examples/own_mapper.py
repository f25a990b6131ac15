"""A mapper of one's own, rated by Heliolite's model and by its proof of how good a mapping can be.

It gives the factors of a matrix product's sizes to random places of the loop nest and keeps the best of 2,000 mappings.
Any other tool that can say a loop nest can stand in its place.
"""
import random

import heliolite as hl

model = hl.CostModel("gemm:64x64x64", "gemmini")


def draw():
    """A mapping: each of the six twos in every size goes to a level, or across the array (X has M, Y has K)."""
    f = {(d, place): 1 for d in "MNK" for place in range(5)}
    for d in "MNK" * 6:
        f[d, random.randrange(4 if d == "N" else 5)] *= 2
    loops = [[{d: f[d, place]} for d in random.sample("MNK", 3)] for place in range(4)]
    return [{"level": "DRAM", "temporal": loops[0]},
            {"level": "Scratchpad", "temporal": loops[1], "spatial": {"x": [{"M": f["M", 4]}]}},
            {"level": "Accumulator", "temporal": loops[2], "spatial": {"y": [{"K": f["K", 4]}]}},
            {"level": "PEReg", "temporal": loops[3]}]


def main():
    random.seed(1)
    costs = []
    for _ in range(2000):
        try:
            costs.append(model.evaluate(draw()).edp_pj_cycles)
        except hl.Error:  # it does not fit the machine
            pass
    proven = hl.map(model.workload.to_yaml(), model.machine)[0]
    print(f"drawn at random  {min(costs):.4e} pJ x cycles, the best of {len(costs)} that fit")
    print(f"heliolite map    {proven.value:.4e} pJ x cycles, {proven.status}")
    print(f"the best drawn is {min(costs) / proven.lower_bound:.2f} times what nothing can beat")


if __name__ == "__main__":
    main()
