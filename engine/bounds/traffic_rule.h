#pragma once

namespace heliolite {

// What counts as moving, and whether outputs start as zeros or as words to be read.
struct TrafficRule {
  bool stores = true;
  bool outputs_are_read = false;

  bool operator==(const TrafficRule&) const = default;
};

}  // namespace heliolite
