#pragma once
// What only strategy bayes is asked (engine/search/bayes).
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

// How loop orders are encoded: a score for each loop, or one choice of the level's orders that can matter (rules
// order-prefix to order-dominance); Auto takes choices where the levels together have few.
enum class OrderEncoding : u8 { Auto, Scores, Categorical };
std::string_view name(OrderEncoding encoding);
std::optional<OrderEncoding> parse_order_encoding(std::string_view name);
std::vector<std::string> order_encoding_names();

// How points of other machines and layers are learned from: by the logarithms of sizes and capacities as further
// coordinates, or as tasks of one process whose covariance is learned, without looking at what they are.
enum class Transfer : u8 { Features, Tasks };
std::string_view name(Transfer transfer);
std::optional<Transfer> parse_transfer(std::string_view name);
std::vector<std::string> transfer_names();

// Mappings of one layer on one machine that were priced.
struct LearnedTask {
  std::string machine, workload, objective;
  std::map<std::string, double> coordinate;  // logarithms to base 2: "size K", "words GlobalBuffer", ..
  std::vector<std::string> feature;          // names (engine/search/bayes/feature.h), in the order of the points
  std::vector<u32> choices;                  // of each feature: its categories, 0 if it is a number
  std::vector<std::vector<double>> point;    // each in the unit cube of the features
  std::vector<double> value;  // of each point: log of the objective over what every mapping of the layer costs
};

// What searches found out, by task. Layers that are searched side by side add their tasks in any order.
class LearnedTasks {
 public:
  void add(LearnedTask task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  // Sorted by machine, workload and objective; not while searches run.
  std::vector<LearnedTask> take();

 private:
  std::mutex mutex_;
  std::vector<LearnedTask> tasks_;
};

}  // namespace heliolite
