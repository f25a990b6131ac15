#pragma once
// The best schedule of a network, its layers fused where that is best, with a proof or a proven gap. What one layer of
// a group makes for the next stays inside the machine.
//
//   auto network = heliolite::load_network("bert_base_block");
//   auto machine = heliolite::load_architecture("tpu_v4i");
//   auto answer = heliolite::map_fused(*network, *machine, {.budget_seconds = 10});
//   if (answer) std::printf("%s\n%g, at most %g above the least\n", answer->schedule.text.c_str(), answer->value,
//                           answer->gap);
//
// An ONNX model is to be read with ReadOptions::edges. The objective is of the network's total energy and cycles ("edp"
// and "network_edp" ask the same). Without a budget the search has 10 seconds of wall time, for the whole network.
#include <heliolite/map.h>  // IWYU pragma: export
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heliolite::api {

// An array of which words stay at a group's level from one layer to another.
struct ScheduleHome {
  std::string array;
  std::vector<std::uint64_t> words;  // [layer of the group]: while that one runs
};

// Links of a schedule that run as one: what they hand on stays at a level. Or one layer by itself.
struct ScheduleGroup {
  std::vector<std::string> layers;   // in the network's order
  std::string level;                 // where what they hand on stays; empty: one layer
  std::string text;                  // the group's tree, as docs/formats_schedule.md writes it
  std::uint64_t count = 1;           // how often it runs
  Cost cost;                         // of one run
  std::vector<ScheduleHome> homes;   // what stays at the level, tiles of single layers aside
  std::uint64_t capacity_words = 0;  // of the level; 0: no limit, or one layer
};

// What a layer reads that another one makes.
struct ScheduleEdge {
  std::string array, reader;
  std::string maker;             // empty: an input of the network that several layers read
  std::string level;             // where the reader finds it; empty: the outermost
  bool stays = false;            // no word of it crosses the outermost level
  std::uint64_t bytes = 0;       // of the whole array
  std::uint64_t bytes_read = 0;  // that the reader takes from the outermost level, bytes written there for it
  std::uint64_t bytes_written = 0;
};

struct Schedule {
  std::string text;                   // all groups: "Buf[(l1.j/6 l2.j/6)[+l1.w, l1, l2]] ; l3"
  std::string yaml;                   // a file of `eval -m`, `explain -m` and load_schedule()
  Cost cost;                          // of the network
  std::uint64_t outermost_words = 0;  // read and written
  std::vector<ScheduleGroup> groups;
  std::vector<ScheduleEdge> edges;
};

// Arrays that layers make for each other, but no schedule can keep inside, and why: for what their edges say, or for
// what the machine's levels keep.
struct KeptApart {
  std::vector<std::string> arrays;
  std::string why;
};

struct ScheduleAnswer {
  std::string status;          // "optimal": no schedule is better; "bounded": none is below lower_bound
  std::string why_not_proven;  // the limit that ended the search; empty: optimal
  double value = 0;            // of the objective, in value_unit
  double lower_bound = 0;      // in the same unit
  double gap = 0;              // value / lower_bound - 1
  std::string value_unit;      // "pJ x cycles"
  std::string left_out;        // what no schedule that was looked at does
  Schedule schedule;
  std::optional<Schedule> unfused{};      // the best without groups, if one was found
  std::optional<double> unfused_value{};  // of its cost
  std::vector<KeptApart> kept_apart{};
  std::uint64_t evaluated = 0;  // mappings priced, partial ones included
  double seconds = 0;           // wall time
};

// How softmax may run in a group: whole rows at a time, or rescaled as parts of them come.
enum class Softmax : std::uint8_t { Whole, Incremental };

// Errors: options and machines that schedules do not have, each with what to write instead; networks whose edges make
// no graph; and that no schedule is legal.
Result<ScheduleAnswer> map_fused(const Network& network, const Architecture& architecture,
                                 const MapOptions& options = {}, Softmax softmax = Softmax::Whole);

// The schedule of a file, or of the text of one (`name` stands for it in errors), with its cost. Errors: what makes no
// legal schedule, with its line.
Result<Schedule> load_schedule(const std::string& path, const Network& network, const Architecture& architecture);
Result<Schedule> parse_schedule(std::string_view text, const std::string& name, const Network& network,
                                const Architecture& architecture);

}  // namespace heliolite::api
