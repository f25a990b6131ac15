#pragma once
// What the page of a sweep shows, read from its database: points and layers, how full levels are, and what limits their
// speed.
#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/model/roofline.h"
#include "engine/sweep/design_points.h"
#include "engine/sweep/front.h"
#include "engine/sweep/records.h"
#include "engine/sweep/store.h"
#include "engine/sweep/sweep_spec.h"
#include "workloads/workload.h"

namespace heliolite {

// One instance of a level; words are the level's.
struct LevelRoom {
  // What the tile of a tensor takes, rounded up.
  struct Kept {
    std::string tensor;
    u64 words = 0;
    Role role = Role::Input;

    bool operator==(const Kept&) const = default;
  };
  std::string level;
  u64 used_words = 0;
  u64 capacity_words = 0;  // usable; 0: unbounded
  std::vector<Kept> kept;

  bool operator==(const LevelRoom&) const = default;
};

// What is made again of a point's layers; nothing of a layer without a mapping.
struct PointRooms {
  std::vector<std::vector<LevelRoom>> rooms;       // [layer]: outermost level first
  std::vector<std::optional<Roofline>> rooflines;  // [layer]: of one run
};

// Makes the machines of one sweep again.
class RoomReader {
 public:
  // Files that the sweep's text names are looked for beside the database, then in the current folder.
  RoomReader(const SweepRecord& sweep, const std::string& database);

  // Errors: the sweep's files cannot be read, or they do not give the energies that were written down, and so are not
  // those of the sweep.
  Result<PointRooms> rooms(std::span<const LayerRecord> layers) const;

  // MACs of all runs of each layer of the sweep, times its workload's weight; empty if the sweep's files cannot be
  // read.
  std::vector<double> operations() const;

 private:
  Diagnostics add_rooms(const LayerRecord& layer, const Architecture& machine, PointRooms& out) const;

  std::unique_ptr<const SweepSpec> spec_;  // none: why_
  std::optional<DesignPoints> points_;
  Diagnostics why_;
};

// A random sample of points out of a stream of unknown length.

// Keeps at most `most` points; every point added has the same chance (reservoir sampling). The same points in the same
// order give the same sample, with every standard library.
class PointSample {
 public:
  explicit PointSample(std::size_t most) : most_(most) {}

  void add(const PointRecord& point);
  std::vector<PointRecord> points() const;  // by id

 private:
  std::size_t most_;
  u64 offered_ = 0;
  std::mt19937_64 random_;
  std::vector<PointRecord> kept_;
};

// The order in which the values of a parameter stand in a chart.

// The values by size if every value has one: numbers, sizes with units ("54 KB"), products ("14x12"). Else as they are.
std::vector<std::string> in_order(std::vector<std::string> values);

// How many points the page has at most: a browser draws some thousand at once, and the file should stay small.
struct ReportLimits {
  std::size_t best = 20;        // points in the table of best points
  std::size_t points = 20'000;  // done points that are drawn; those of the front and the best always are
  std::size_t cut = 2'000;      // cut points that can be drawn at their bounds
  std::size_t details = 100;    // points with their layers: the best first, then those of the front
  // Numbers of single layers, points times layers: more of them are left out, and the page cannot be asked about one
  // workload or layer.
  std::size_t parts = 200'000;
};

// A point with its layers.
struct PointLayers {
  u64 point = 0;
  std::optional<double> cycle_ns;  // of its machine
  std::vector<LayerRecord> layers;
  PointRooms made_again;  // nothing if it is not known
};

// What one layer costs on a point: all of its runs, times the weight of its workload.
struct LayerCosts {
  double energy_pj = 0, cycles = 0;
  double value = 0, lower_bound = 0;  // of the layers' own objective, in the unit of PointRecord::value
};

// How sure the best point is.
struct Certainty {
  // No point looked at can have a smaller value, whatever mappings it is given; 0: nothing is known of some point.
  double least_bound = 0;
  u64 rivals = 0;  // points other than the best whose bound is below the best value: better mappings might win
};

// How far the sweep is.
enum class SweepProgress : u8 { Finished, Running, Stopped };
inline constexpr std::array<std::string_view, 3> kSweepProgressNames{"finished", "running", "stopped"};

// Machines that are decided, and what is known of them. Of large grids a row may stand for a set of machines that a
// bound leaves out.
struct Decided {
  SweepProgress progress = SweepProgress::Stopped;
  u64 machines = 0;
  u64 certain = 0, open = 0;  // where a front is certified: points on it, and those that may still come onto it
};

// What no point with a value of a parameter can have less of, [parameter] by value; 0 where that is not known of all of
// its points.
using LeastBounds = std::vector<std::map<std::string, double>>;

struct ReportData {
  SweepRecord sweep;
  SweepSummary summary;
  LeastBounds least_bounds;  // empty: a row stands for a set of points
  Decided decided;
  std::vector<PointRecord> others;  // a sample of the done points that are neither among the best nor on the front
  std::vector<PointRecord> cut;     // a sample of the points cut
  std::vector<PointLayers> details;
  std::string why_no_rooms;  // why PointLayers::made_again is not known of some point; empty: it is of all
  Certainty certainty;
  std::vector<LayerRecord> layers;               // of the sweep, named by those of the best point
  std::vector<double> operations;                // [layer]: MACs of all runs, weighted; empty: not known
  std::vector<std::vector<LayerCosts>> parts{};  // [point of drawn()][layer]; empty: ReportLimits::parts

  // Done points of the page, each once: the best, those of the front, the others.
  std::vector<PointRecord> drawn() const;
};

// Reads the data of the page. Walks over the points twice; memory grows with the front and the limits, not with the
// number of points. Errors: those of the store.
Result<ReportData> read_report(const Store& store, const ReportLimits& limits = {});

}  // namespace heliolite
