#pragma once
// What benchmarks run on: four machines that have little in common, and layers of presets.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"

namespace heliolite {

// The value, or the end of the program with what is wrong.
template <class T>
T require(Result<T> result) {
  if (result.ok()) return std::move(result).value();
  std::cerr << to_string(result.errors()) << "\n";
  std::exit(2);
}

// A layer on a machine.
struct BenchPair {
  Workload workload;
  Architecture architecture;

  BenchPair(const std::string& machine, const std::string& layer)
      : workload(require(load_network(layer)).layers.front().workload),
        architecture(require(load_architecture(machine))) {}
};

// Registers `run(state, pair)` as <benchmark>/<machine>/<layer> for every machine and each of the layers.
template <class Run>
void on_every_machine(const std::string& benchmark, const std::vector<std::string>& layers, Run run) {
  for (const char* machine : {"eyeriss", "edge_unified", "simba", "gemmini"})
    for (const std::string& layer : layers)
      ::benchmark::RegisterBenchmark((benchmark + "/" + machine + "/" + layer).c_str(),
                                     [=](::benchmark::State& state) { run(state, BenchPair(machine, layer)); });
}

}  // namespace heliolite
