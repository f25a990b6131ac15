#include "cli/bench/published_claim.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/bench/bench_fields.h"
#include "engine/base/field_reader.h"
#include "engine/base/text.h"

namespace heliolite::cli {
namespace {

// The value of a key that is one of some names, which its table has in the order of the enumeration.
template <class Enum>
Enum claim_choice(FieldReader& reader, const char* key, Enum usual) {
  const auto text = reader.choice(key);
  if (!text) return usual;
  const std::vector<std::string>& names = published_fields().find(key)->shape.names;
  return static_cast<Enum>(std::ranges::find(names, *text) - names.begin());
}

}  // namespace

PublishedClaim published_claim(const YamlNode& node, const BenchSuite& suite, Diagnostics& errors) {
  FieldReader reader(node, published_fields(), errors);
  const auto says = reader.string("says"), source = reader.string("source"), of = reader.string("of"),
             over = reader.string("over");
  PublishedClaim claim;
  claim.says = says.value_or("");
  claim.source = source.value_or("");
  claim.of = of.value_or("");
  claim.over = over.value_or("");
  claim.quantity = claim_choice(reader, "quantity", ClaimQuantity::Value);
  claim.statistic = claim_choice(reader, "statistic", ClaimStatistic::Mean);
  claim.from = reader.number("from");
  claim.to = reader.number("to");
  reader.finish();
  if (!claim.from && !claim.to) reader.error("must have 'from' or 'to', the ends of the published range");
  for (const std::string& name : {claim.of, claim.over}) {
    const bool ours = std::ranges::any_of(suite.strategies, [&](const BenchStrategy& s) { return s.label == name; });
    const bool external =
        std::ranges::any_of(suite.external, [&](const ExternalResult& e) { return e.mapper == name; });
    if (name.empty() || ours || external) continue;
    std::vector<std::string> known;
    for (const BenchStrategy& s : suite.strategies) known.push_back(s.label);
    reader.error(fmt::format("'{}' is neither a strategy of this suite nor a mapper of its tables{}", name,
                             did_you_mean(name, known)));
  }
  return claim;
}

}  // namespace heliolite::cli
