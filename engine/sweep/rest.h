#pragma once
// The work that is left of a sweep after its shards were merged: points without a row, dealt anew to parts of about
// equal work by what the points that are done took (docs/slurm.md). A part is a file that lists its points.
#include <atomic>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/sweep/design_points.h"
#include "engine/sweep/records.h"
#include "engine/sweep/sweep_spec.h"

namespace heliolite {

class Store;

// How long a point takes, of what points took that are done: their mean, times a factor for each of the point's values
// of parameters, which is what points with this value took over the mean. A value that few points have is taken for
// usual: as if kUsualPoints more with it had taken the mean.
class WorkEstimate {
 public:
  explicit WorkEstimate(const DesignPoints& points, std::size_t parameters);

  // A point with a row, whose layers' searches took so long together.
  void add(u64 id, double seconds);
  // Estimated seconds of a point; not below kSecondsOfRow, which its row takes.
  double seconds(u64 id) const;

  static constexpr double kUsualPoints = 8;
  static constexpr double kSecondsOfRow = 1e-4;
  static constexpr double kSecondsUnknown = 1;  // of each, as long as no point is done

 private:
  struct Sum {
    double points = 0, seconds = 0;
  };

  const DesignPoints& points_;
  Sum all_;
  std::vector<std::vector<Sum>> by_value_;  // [parameter][value]
};

// What one part is to do.
struct RestPart {
  u64 points = 0;
  double seconds = 0;  // as estimated
};

// What is left.
struct SweepRest {
  std::vector<RestPart> parts;  // none if nothing is left
  u64 points = 0;
  double seconds = 0;  // of searches, as estimated
};

// Why the work left of the sweep is not dealt to several; "" if it can be.
std::string rest_refused(const SweepSpec& spec);

// Deals what `merged`, a database of this sweep, has no rows of to at most `parts` parts, and writes the files
// "<folder>/<part from 1>.points". For goal best with a co-search of memories whole families are dealt. Memory grows
// with the parts, and with a sample. Errors: those of the store, files that cannot be written, `stop` was set.
Result<SweepRest> deal_rest(const Store& merged, const SweepSpec& spec, u64 parts, const std::string& folder,
                            const std::atomic<bool>* stop = nullptr);

// Reads the file of a part of the sweep with this question, as what a run of it maps. Errors: a file of another kind,
// sweep or version; numbers that are none, or not in order; with their lines.
Result<Shard> read_points_file(const std::string& path, const std::string& question);

}  // namespace heliolite
