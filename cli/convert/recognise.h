#pragma once
// What a file is, by its content.
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/yaml_node.h"
#include "engine/inputs/read_options.h"

namespace heliolite::cli {

// A thing that a file may hold; one file of Timeloop's may hold several.
enum class Part : u8 {
  Machine,          // ours
  TimeloopMachine,  // flat, tree or nodes
  Tables,           // ERT, ART
  Constraints,      // lists of targets without a machine
  Workload,         // a workload or network of ours
  Problem,          // Timeloop's
  Model,            // of ONNX, by its ending
  LanguageModel,    // the config of one
  Mapping,          // ours, or an answer with mappings
  TimeloopMapping,
  Schedule,  // of a network, fused or not, or an answer that has one
  Sweep,
  Bench,
  Experiment,  // published numbers against ours
  Tiling,      // tiles for caches
  Chip,        // an area to divide
  Learned,     // mappings that a search has priced
  Records,     // recorded runs, proven optima
  Program,     // a C loop nest
  Database,    // of a sweep
  Summary,     // ERT_summary and the like, for reading
  Classes,     // Accelergy's component classes
  Search,      // settings of Timeloop's mapper, mapspaces, variables: nothing of ours
  Sparse,      // sparse optimizations alone
  Libconfig,   // .cfg of Timeloop before 2020
  AccelForgeMachine,
  AccelForgeWorkload,  // a cascade of Einsums
  AccelForgeMapping,   // a tree of loops, of one Einsum
  AccelForgeSchedule,  // of several
  Template,            // of the front end's template language
};

// What a part is called, and the commands that take it ("map -a"); "" when none does.
std::string_view what_it_is(Part part);
std::string_view taken_by(Part part);

struct Recognised {
  std::vector<Part> parts;  // empty: not a file of ours or of Timeloop
  Diagnostics errors;       // it is one, but cannot be parsed

  bool has(Part part) const;
  bool is_machine() const { return has(Part::Machine) || has(Part::TimeloopMachine) || has(Part::AccelForgeMachine); }
  bool belongs_to_machine() const { return is_machine() || has(Part::Tables) || has(Part::Constraints); }
  bool is_workload() const {
    return has(Part::Workload) || has(Part::Problem) || has(Part::Model) || has(Part::LanguageModel) ||
           has(Part::AccelForgeWorkload);
  }
  bool is_mapping() const { return has(Part::Mapping) || has(Part::TimeloopMapping) || has(Part::AccelForgeMapping); }
  bool is_schedule() const { return has(Part::Schedule) || has(Part::AccelForgeSchedule); }
};

// The file must be there. It is not read beyond what tells what it is: whether it can be used is for its readers.
Recognised recognise(const std::string& path, const ReadOptions& reading = {});

// The parts of a parsed document.
std::vector<Part> parts_of(const YamlNode& document);

}  // namespace heliolite::cli
