#pragma once
// What others say and find: statements of papers about mappers, and mappings of programs that are none of ours.
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/types.h"
#include "engine/search/core/answer.h"
#include "engine/search/core/options.h"

namespace heliolite {

// What papers state about mappers, to compare with what the rows of a suite say.

struct BenchRow;
struct BenchSuite;

// What two mappers are compared by, layer by layer, and how the ratios of the layers become one number.
enum class ClaimQuantity : u8 { Value, Seconds, Evaluated };
enum class ClaimStatistic : u8 { Mean, Most };  // geometric mean; the largest

// A published ratio of one mapper to another; both are labels of the suite, or mappers of its external tables.
struct PublishedClaim {
  std::string says, source;  // in words; the paper
  std::string of, over;
  ClaimQuantity quantity = ClaimQuantity::Value;
  ClaimStatistic statistic = ClaimStatistic::Mean;
  std::optional<double> from, to;  // the published range, at least one end of it
};

enum class ClaimVerdict : u8 { Within, Below, Above, NotMeasured };
// "same", "ours is lower", "ours is higher", "not measured".
std::string_view name(ClaimVerdict verdict);

struct PublishedVerdict {
  PublishedClaim claim;
  std::optional<double> ours;  // none: no layer that both mapped
  ClaimVerdict verdict = ClaimVerdict::NotMeasured;
};

// All claims of the suite against its rows.
std::vector<PublishedVerdict> judge_published(const BenchSuite& suite, const std::vector<BenchRow>& rows);

// "1.5 to 2.5", "up to 10", "from 2".
std::string range_text(const PublishedClaim& claim);

// Mappers of somebody else among our own strategies: their answer is a mapping, which our cost model rates.

// The mapping of one layer on one machine, or the reasons why there is none. `options`: the time limit, what of the
// machine's rules may be lifted, which factors and tiles are allowed, the stop flag.
using ForeignMapper =
    std::function<Result<Mapping>(const Workload& workload, const Architecture& machine, const SearchOptions& options)>;

// The fields of Diagnostics of a mapper that gave no answer: its program crashed (a signal ended it), or failed
// otherwise.
inline constexpr const char* kMapperCrashed = "crashed";
inline constexpr const char* kMapperFailed = "command";

// What the answer is worth: Bounded, with a lower bound of 0 and one mapping priced, or Infeasible with the reasons,
// also where the mapping is not of the mapspace that the options ask for.
MappingResult rated(const Result<Mapping>& answer, const Workload& workload, const Architecture& machine,
                    const SearchOptions& options);

}  // namespace heliolite
