"""Maps one network on several machines and prints a table: energy, cycles, and where the energy goes.

    python3 examples/compare_machines.py [NETWORK [MACHINE...]]
"""
import sys

import heliolite as hl


def main():
    network = hl.network(sys.argv[1] if len(sys.argv) > 1 else "alexnet")
    machines = sys.argv[2:] or ["eyeriss", "simba", "gemmini"]
    print(f"{network.name}: {len(network)} layers, {network.macs / 1e9:.2f} G MACs\n")
    print(f"{'machine':<12}{'energy [mJ]':>12}{'M cycles':>10}{'proven':>9}   share of the outermost level")
    for name in machines:
        answer = hl.map(network, name, strategy="sunstone" if len(network) > 30 else "exact", budget=10)
        outermost = answer.machine.levels[0].name
        share = 0.0
        for layer in answer:
            parts = hl.explain(layer.mapping).energy_by_level()[outermost]
            share += layer.count * sum(parts.values()) / answer.energy_pj
        proven = sum(layer.status == "optimal" for layer in answer)
        print(f"{name:<12}{answer.energy_pj / 1e9:>12.2f}{answer.cycles / 1e6:>10.2f}{proven:>6}/{len(answer)}"
              f"   {100 * share:.0f} % {outermost}")


if __name__ == "__main__":
    main()
