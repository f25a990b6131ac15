#pragma once
// A sweep as its file states it (docs/formats_sweep.md): a machine, what varies, which layers, and what is asked. Types
// only; the reader is sweep_yaml.h.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/architecture_spec.h"
#include "engine/base/named.h"
#include "engine/inputs/read_options.h"
#include "engine/search/core/options.h"
#include "workloads/network.h"

namespace heliolite {

// What has to be known at the end: every point's answer; only of those that can be on the Pareto front of energy, delay
// and area; only of those that can be the best; or of few points, each chosen by what those before it were.
enum class SweepGoal : u8 { All, Front, Best, Explore };
constexpr ValueNames<4> value_names(SweepGoal) { return {"all", "front", "best", "explore"}; }

// What goal explore looks for: the point of least value, or the Pareto front.
enum class ExploreFor : u8 { Best, Front };
constexpr ValueNames<2> value_names(ExploreFor) { return {"best", "front"}; }

// How goal explore chooses its points (explore.h).
struct ExploreOptions {
  u64 points = 100;            // that are evaluated at most
  std::optional<u64> first{};  // the first of these, which fill the grid evenly; none: twice the parameters, at least 8
  u64 batch = 1;               // points chosen together, to be evaluated side by side
  ExploreFor aim = ExploreFor::Best;

  bool operator==(const ExploreOptions&) const = default;
};

// What points are ranked by: the objective of the network's total energy and total delay; or the sum of its layers'
// objectives, each by itself. For energy and delay both are the same number.
enum class SweepRank : u8 { Totals, Layers };
constexpr ValueNames<2> value_names(SweepRank) { return {"totals", "layers"}; }

// How the values of several workloads make that of a point: all are one network, whose totals count (weights are
// factors of costs); or each is a network of its own with its own value, and the point's is their mean by weight.
enum class SweepMean : u8 { Total, Weighted, Geometric };
constexpr ValueNames<3> value_names(SweepMean) { return {"total", "weighted", "geometric"}; }

// What mappings of a network must keep to: energy and delay of all its layers, and energy over delay. Delays are in
// seconds and power in W where SweepSpec::seconds; otherwise in cycles and pJ a cycle.
struct SweepLimits {
  std::optional<double> energy_pj, delay, power;

  bool any() const { return energy_pj || delay || power; }
  bool operator==(const SweepLimits&) const = default;
};

// A field of the machine's YAML format that a parameter sets: GLB.capacity, GLB.bandwidth.read, technology_nm.
struct FieldPath {
  std::string text;   // as written
  std::string level;  // level or buffer, "compute", a further unit, or empty: the machine itself
  std::string key;    // of the level
  std::string part;   // key inside it if its value is a map; empty: all of it
  std::string unit;   // the further unit that this is, or that the level belongs to; empty: none
};

// A field set to a value, as a variant of the machine that states nothing else.
struct Setting {
  FieldPath field;
  ArchitectureSpec variant;
};

// One of the values that a parameter takes.
struct ParameterValue {
  std::string text;               // as written
  std::optional<double> number;   // what constraints see: the number, bytes of a size, product of a fan-out; or none
  std::vector<Setting> settings;  // of the machine
};

struct SweepParameter {
  std::string name;
  Place place;                    // in the file, for complaints
  std::vector<FieldPath> fields;  // all that some value sets
  std::vector<ParameterValue> values;
};

struct SweepConstraint {
  Place place;       // in the file, for complaints
  std::string text;  // an Expression over the parameters and derived_names()
};

// A layer to be mapped on every point.
struct SweepLayer {
  std::string workload;  // the one that it is a layer of
  double weight = 1;     // of that workload
  Layer layer;
};

// A whole sweep.
struct SweepSpec {
  std::string name;
  std::string file;  // its path, beside which the files that it names stand
  std::string text;  // of the whole file
  ArchitectureSpec machine;
  ReferenceTables tables;
  std::vector<SweepLayer> layers;          // of all workloads, one after another
  std::vector<SweepParameter> parameters;  // the last one varies fastest
  std::vector<SweepConstraint> constraints;
  SearchOptions options;  // options for every layer of every point; the seed is the sample's too
  SweepGoal goal = SweepGoal::All;
  SweepRank rank = SweepRank::Totals;
  SweepMean mean = SweepMean::Total;
  SweepLimits limits{};      // of each network
  ExploreOptions explore{};  // of goal explore
  // Whose energy and cycles layers have, instead of the model's, with the mappings that the strategy finds
  // (point_answer.h); without a command none.
  EvaluatorOptions evaluator{};
  bool area_on_front = true;  // the Pareto front is of energy, delay and area; else of energy and delay
  bool seconds = false;       // delays are compared in seconds: every machine states a clock; else in cycles
  std::optional<double> budget_seconds{};  // of the whole sweep, of one run of it; none: no limit
  std::optional<u64> sample;               // number of points drawn from the grid; none: all points
  std::optional<u64> pilots;               // number of points mapped before any is cut; none: the usual number
  ReadOptions reading{};                   // of the machine and the workloads
  Diagnostics warnings;
};

// The most that the reader accepts.
inline constexpr u64 kMaxGridPoints = u64{1} << 53;
inline constexpr std::size_t kMaxParameters = 64;
inline constexpr std::size_t kMaxParameterValues = 10'000;
inline constexpr u64 kMaxPilots = 10'000;
inline constexpr u64 kMaxExplored = 100'000;
inline constexpr u64 kMaxExploreBatch = 1'000;
inline constexpr double kMaxSweepSeconds = 1e9;

}  // namespace heliolite
