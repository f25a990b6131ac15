#include "cli/schema/file_formats.h"

#include <array>

#include "arch/architecture_fields.h"
#include "cli/bench/bench_fields.h"
#include "cli/bound/experiment_fields.h"
#include "engine/execution/tiling_fields.h"
#include "engine/model/mapping_fields.h"
#include "engine/search/bayes/learned_fields.h"
#include "engine/sweep/sweep_fields.h"
#include "workloads/workload_fields.h"

namespace heliolite::cli {
namespace {

template <const FieldTable& (*fields)()>
Shape map_of() {
  return shape::map(fields());
}

constexpr std::array kFormats{
    FileFormat{"machine", Part::Machine, "docs/formats_architecture.md", map_of<machine_file_fields>},
    FileFormat{"workload", Part::Workload, "docs/formats_workload.md", map_of<workload_file_fields>},
    FileFormat{"mapping", Part::Mapping, "docs/formats_mapping.md", mapping_document_shape},
    FileFormat{"tiling", Part::Tiling, "docs/execution.md", map_of<tiling_file_fields>},
    FileFormat{"sweep", Part::Sweep, "docs/formats_sweep.md", map_of<sweep_file_fields>},
    FileFormat{"bench", Part::Bench, "docs/formats_bench.md", map_of<bench_file_fields>},
    FileFormat{"experiment", Part::Experiment, "docs/orojenesis.md", map_of<experiment_fields>},
    FileFormat{"chip", Part::Chip, "docs/orojenesis.md", map_of<chip_fields>},
    FileFormat{"learned", Part::Learned, "docs/bayes.md", map_of<learned_file_fields>},
};

}  // namespace

std::span<const FileFormat> file_formats() { return kFormats; }

}  // namespace heliolite::cli
