#pragma once
// Which words a lower bound counts.

namespace heliolite {

struct TrafficRule {
  bool stores = true;             // words stored count too; else loads alone
  bool outputs_are_read = false;  // outputs start as words to be read; else as zeros

  bool operator==(const TrafficRule&) const = default;
};

}  // namespace heliolite
