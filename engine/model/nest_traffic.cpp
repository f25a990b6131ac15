#include "engine/model/nest_traffic.h"

#include <algorithm>

namespace heliolite {

void add_record(const ReceiverGroups& g, u64 words, std::vector<NestRecord>& records) {
  const auto before = [](const NestRecord& a, const ReceiverGroups& b) {
    return a.multicast != b.multicast ? a.multicast < b.multicast : a.groups < b.groups;
  };
  auto at = std::lower_bound(records.begin(), records.end(), g, before);
  if (at == records.end() || at->multicast != g.multicast || at->groups != g.groups)
    at = records.insert(at, {g.multicast, g.groups, 0, 0});
  at->words += static_cast<double>(words * g.groups);
  at->hop_words += 0.5 * static_cast<double>(words) * static_cast<double>(g.half_hops);
}

}  // namespace heliolite
