#pragma once
// Small machines in Timeloop's formats as texts, and how to read them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/formats/timeloop/machine.h"

namespace heliolite::testing {

inline const std::string kTimeloopData = HELIOLITE_TEST_DATA "/data/timeloop/";

inline Architecture load_timeloop(const std::vector<std::string>& files) {
  std::vector<YamlNode> documents;
  for (const std::string& file : files) {
    const Result<YamlNode> document = YamlNode::load_file(kTimeloopData + file);
    if (document) documents.push_back(*document);
    else ADD_FAILURE() << to_string(document.errors());
  }
  const Result<Architecture> machine = read_timeloop_architecture(documents);
  if (!machine) ADD_FAILURE() << to_string(machine.errors());
  return machine ? *machine : Architecture{};
}

inline Result<Architecture> parse_timeloop(const std::string& text) {
  const Result<YamlNode> document = YamlNode::parse(text, "m.yaml");
  if (!document) return document.errors();
  return read_timeloop_architecture({*document});
}

inline std::string timeloop_complaints(const std::string& text) {
  const Result<Architecture> machine = parse_timeloop(text);
  return machine ? "accepted" : to_string(machine.errors());
}

inline std::vector<std::string> timeloop_notes(const std::string& text) {
  const Result<Architecture> machine = parse_timeloop(text);
  if (!machine) ADD_FAILURE() << to_string(machine.errors());
  return machine ? machine->notes : std::vector<std::string>{};
}

inline constexpr const char* kNodes = R"(architecture:
  nodes:
  - !Component {name: Main, class: DRAM, attributes: {width: 64, datawidth: 16}}
  - !Component
    name: Buf
    class: SRAM
    attributes: {depth: 4096, width: 64, datawidth: 16, read_bandwidth: 8, write_bandwidth: 8}
    constraints: {dataspace: {keep: [A, Z], bypass: [B]}}
  - !Container
    name: Lane
    spatial: {meshX: 8}
    constraints: {spatial: {permutation: [N, M, K], factors: [K=1, N<=8], split: 3}}
  - !Component {name: Reg, class: regfile, attributes: {depth: 16, width: 16, datawidth: 16}}
  - !Component {name: Alu, class: intmac, attributes: {multiplier_width: 16, adder_width: 32}}
)";

// kNodes with `from` replaced by `to`.
inline std::string nodes(const std::string& from, const std::string& to) {
  std::string text = kNodes;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// A flat machine with one thing different.
inline std::string flat(const std::string& storage,
                        const std::string& arithmetic = "name: MAC, instances: 8, meshX: 4") {
  return "architecture:\n  arithmetic: {" + arithmetic + "}\n  storage:\n  - {" + storage +
         "}\n  - {name: DRAM, technology: DRAM, instances: 1}\n";
}

inline const std::string kReg = "name: L1, entries: 16, instances: 8, meshX: 4";

}  // namespace heliolite::testing
