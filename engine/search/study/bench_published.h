#pragma once
// What papers state about mappers, beside what the rows of a suite say.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

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

}  // namespace heliolite
