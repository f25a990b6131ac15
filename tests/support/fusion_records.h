#pragma once
// Recorded schedules of small networks with what they cost: JSON with the texts of machine and network, the ranks of
// the edges, and for each objective a schedule, the nest of one pass of every link, energy and cycles.
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/integers.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/model/keep.h"
#include "engine/network/fused_cost.h"
#include "engine/network/schedule_text.h"
#include "nlohmann/json.hpp"

namespace heliolite::testing {

// What was read without errors.
template <class T>
T read_well(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(to_string(result.errors()));
  return std::move(result).value();
}

// A machine and a network whose edges' ranks are stated.
struct FusionProblem {
  Architecture architecture;
  LinkGraph graph;
};

// `ranks`: for each edge pairs of lists of dimensions, of the maker (of an input its first reader) and of the reader.
inline LinkGraph fusion_graph(const Network& network, const nlohmann::json& ranks) {
  std::vector<LinkEdge> edges = link_edges(network);
  std::map<std::string, int> first_reader;
  for (std::size_t e = 0; e < edges.size() && e < ranks.size(); ++e) {
    LinkEdge& edge = edges[e];
    if (edge.maker < 0) first_reader.emplace(edge.input, edge.reader);
    const int first = edge.maker < 0 ? first_reader.at(edge.input) : edge.maker;
    const auto dimensions = [&](int link, const nlohmann::json& names) {
      std::vector<int> out;
      for (const std::string name : names) out.push_back(network.layers[link].workload.find_dimension(name).value());
      return out;
    };
    edge.pairs.emplace();
    edge.why_apart.clear();
    for (const auto& pair : ranks[e])
      edge.pairs->push_back({dimensions(first, pair[0]), dimensions(edge.reader, pair[1])});
  }
  return read_well(make_link_graph(network.layers, edges));
}

inline FusionProblem fusion_problem(const std::string& machine, const std::string& network,
                                    const nlohmann::json& ranks) {
  return {read_well(parse_architecture(machine, "machine.yaml")),
          fusion_graph(read_well(parse_network(network, "network.yaml")), ranks)};
}

struct FusionRecord {
  std::string file;
  FusionProblem problem;
  nlohmann::json schedules;
};

inline std::vector<FusionRecord> fusion_records() {
  const auto lines = [](const nlohmann::json& list) {
    std::string out;
    for (const std::string line : list) out += line + "\n";
    return out;
  };
  std::vector<FusionRecord> out;
  for (const auto& file : std::filesystem::directory_iterator(HELIOLITE_TEST_DATA "/network/records")) {
    std::ifstream in(file.path());
    const auto record = nlohmann::json::parse(in);
    out.push_back({file.path().string(),
                   fusion_problem(lines(record["machine"]), lines(record["network"]), record["ranks"]),
                   record["schedules"]});
  }
  return out;
}

// "DRAM: T k=3 j=3 | Buf: X m=2 keep{w}": outermost level first, loops outermost first, T temporal, X and Y spatial;
// `keep` of levels that leave something open.
inline Mapping mapping_of_nest(const std::string& text, const Workload& link, const Architecture& architecture) {
  struct Placed {
    int level;
    LoopKind kind;
    int dimension;
    u64 end;
  };
  std::vector<Placed> loops;
  Mapping m;
  m.level_count = static_cast<u8>(architecture.levels.size());
  for (int i = 0; i < m.level_count; ++i)
    for (int v = 0; v < static_cast<int>(link.tensors.size()); ++v)
      if (i + 1 == m.level_count || keep_choice(architecture.levels[i].keep, link, v) == KeepChoice::Keep)
        m.keep[i] = static_cast<TensorMask>(m.keep[i] | 1U << v);
  std::istringstream words(text);
  int level = -1;
  LoopKind kind = LoopKind::Temporal;
  bool keeps = false;
  for (std::string word; words >> word;) {
    if (word.starts_with("keep{")) {
      keeps = true;
      word.erase(0, 5);
    }
    if (keeps) {
      keeps = !word.ends_with('}');
      if (!keeps) word.pop_back();
      if (!word.empty()) m.keep[level] = static_cast<TensorMask>(m.keep[level] | 1U << link.find_tensor(word).value());
    } else if (word.ends_with(':')) {
      level = architecture.find_level(word.substr(0, word.size() - 1)).value();
    } else if (word == "T" || word == "X" || word == "Y") {
      kind = word == "T" ? LoopKind::Temporal : word == "X" ? LoopKind::SpatialX : LoopKind::SpatialY;
    } else if (word != "|") {
      const auto equals = word.find('=');
      loops.push_back(
          {level, kind, link.find_dimension(word.substr(0, equals)).value(), std::stoull(word.substr(equals + 1))});
    }
  }
  for (std::size_t k = loops.size(); k-- > 0;) m.add(loops[k].kind, loops[k].level, loops[k].dimension, loops[k].end);
  return m;
}

// The groups of `schedule`, and the nests as mappings of the passes' sizes.
inline FusedSchedule fused_schedule(const FusionProblem& p, const std::string& schedule, const nlohmann::json& nests) {
  FusedSchedule out;
  out.groups = read_well(read_schedule(schedule, p.graph, p.architecture));
  for (const Layer& link : p.graph.links)
    out.mappings.push_back(mapping_of_nest(nests.at(link.workload.name), link.workload, p.architecture));
  return out;
}

}  // namespace heliolite::testing
