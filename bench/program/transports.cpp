#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "bench/program/certificates.hpp"
#include "bench/program/commands.hpp"
#include "bench/program/end_link.hpp"
#include "bench/program/median.hpp"
#include "bench/program/transport_ends.hpp"
#include "runtime/clock.hpp"
#include "runtime/processes/child_process.hpp"
#include "runtime/store/channel.hpp"
#include "runtime/store/object_store.hpp"
#include "troupe/error.hpp"

// Measures a message between two processes, this one and another process of this program. The programs
// bench/peers/..._pingpong measure the same with other libraries.
namespace troupe::bench {
namespace {

constexpr int kLinkNumber = 3;  // file descriptor numbers of the inherited sockets
constexpr int kStoreNumber = 4;
constexpr std::uint32_t kWord = 3;

struct TransportsOptions {
  std::string transport = "shared-memory";
  std::vector<std::size_t> bytes{8, 1024, 65'536, 1'048'576, 16'777'216, 178'204'836};
  int rounds = 0;
  bool json = false;
  bool other_end = false;
  std::string certificates;
};

int rounds_of(const TransportsOptions& options, std::size_t bytes) {
  if (options.rounds > 0) return options.rounds;
  return bytes > 50'000'000 ? 5 : bytes > 5'000'000 ? 21 : bytes > 500'000 ? 101 : 501;
}

/// Reads every word, as the receiver of a vector does.
void read(std::span<const std::uint32_t> words, std::uint32_t first) {
  const std::uint64_t sum = std::accumulate(words.begin(), words.end(), std::uint64_t{0});
  if (sum != first + std::uint64_t{kWord} * (words.size() - 1))
    throw Error(ErrorCode::bad_data, "the received message differs from the sent message");
}

/// Returns the median seconds of one direction at the first end, and nothing at the other end.
std::optional<double> play(TransportEnd& end, std::size_t num_words, int rounds, bool first) {
  std::vector<std::uint32_t> words(num_words, kWord);
  std::vector<double> seconds;
  for (int round = 0; round <= rounds; ++round) {  // the first round touches all pages
    words[0] = static_cast<std::uint32_t>(round);
    const Stopwatch watch;
    if (first) end.send(words);
    read(end.receive(), words[0]);
    if (!first) end.send(words);
    if (round > 0) seconds.push_back(watch.seconds() / 2);
  }
  if (!first) return std::nullopt;
  return median(seconds);
}

/// One of the two processes.
class Player {
 public:
  Player(const TransportsOptions& options, FileDescriptor socket, std::shared_ptr<StoreClient> store,
         std::string certificates)
      : options_(options),
        first_(!options.other_end),
        link_(std::move(socket)),
        store_(std::move(store)),
        certificates_(std::move(certificates)) {}

  /// Returns the median seconds for each length at the first end, and nothing at the other end.
  std::vector<double> play_all() {
    std::uint64_t number = 0;
    std::vector<double> seconds;
    for (const std::size_t bytes : options_.bytes) {
      const std::size_t words = bytes / sizeof(std::uint32_t);
      const auto end = store_ ? make_shared_memory_end(link_, store_, first_, ++number, words)
                              : make_data_plane_end(link_, certificates_, first_, words);
      if (const auto one_way = play(*end, words, rounds_of(options_, bytes), first_)) seconds.push_back(*one_way);
      link_.meet();
    }
    return seconds;
  }

 private:
  const TransportsOptions& options_;
  bool first_;
  EndLink link_;
  std::shared_ptr<StoreClient> store_;
  std::string certificates_;
};

void print(const TransportsOptions& options, const std::vector<double>& seconds) {
  nlohmann::ordered_json sizes = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const std::size_t bytes = options.bytes[i];
    const int rounds = rounds_of(options, bytes);
    sizes.push_back({{"bytes", bytes}, {"rounds", rounds}, {"seconds", seconds[i]}});
    if (!options.json)
      std::printf("%zu bytes from process to process by %s: %.9f s (median of %d)\n", bytes, options.transport.c_str(),
                  seconds[i], rounds);
  }
  if (!options.json) return;
  const nlohmann::ordered_json result{{"transport", options.transport}, {"sizes", sizes}};
  std::printf("%s\n", result.dump().c_str());
}

void be_other_end(const TransportsOptions& options) {
  std::shared_ptr<StoreClient> store;
  if (options.transport == "shared-memory")
    store = std::make_shared<StoreClient>(store::make_socket_channel(FileDescriptor(kStoreNumber)));
  Player(options, FileDescriptor(kLinkNumber), std::move(store), options.certificates).play_all();
}

ChildProcess start_other_end(const TransportsOptions& options, const FileDescriptor& link, const FileDescriptor& store,
                             const std::string& certificates) {
  std::vector<std::string> arguments{"troupe-bench", "transports", "--other-end", "--transport=" + options.transport,
                                     "--rounds=" + std::to_string(options.rounds)};
  if (!certificates.empty()) arguments.push_back("--certificates=" + certificates);
  arguments.emplace_back("--bytes");
  for (const std::size_t bytes : options.bytes) arguments.push_back(std::to_string(bytes));
  std::vector<std::pair<int, int>> inherited{{link.get(), kLinkNumber}};
  if (store) inherited.emplace_back(store.get(), kStoreNumber);
  return ChildProcess::start("/proc/self/exe", arguments, inherited);
}

void measure_transports(const TransportsOptions& options) {
  if (options.other_end) return be_other_end(options);
  std::optional<ObjectStore> store;
  std::optional<Certificates> certificates;
  FileDescriptor others_store;
  std::shared_ptr<StoreClient> own_store;
  if (options.transport == "shared-memory") {
    store.emplace();
    others_store = store->connect_process();
    own_store = store->connect();
  } else {
    certificates.emplace();
  }
  const std::string folder = certificates ? certificates->folder() : "";
  auto [own_link, others_link] = make_link();
  ChildProcess other = start_other_end(options, others_link, others_store, folder);
  others_link.reset();
  others_store.reset();
  print(options, Player(options, std::move(own_link), std::move(own_store), folder).play_all());
  other.wait(std::chrono::seconds(10));
}

}  // namespace

void add_transports(CLI::App& app) {
  auto options = std::make_shared<TransportsOptions>();
  CLI::App& command =
      *app.add_subcommand("transports", "Time a message between two processes until the receiver has read every word");
  command.add_option("--bytes", options->bytes, "Lengths of messages")->check(CLI::Range(4UL, 1UL << 34));
  command.add_option("--transport", options->transport, "Transport to measure")
      ->check(CLI::IsMember({"shared-memory", "data-plane"}));
  command.add_option("--rounds", options->rounds, "Measurements per length; 0: more for shorter messages")
      ->check(CLI::Range(0, 100'000));
  command.add_flag("--json", options->json, "Print a JSON object for each length");
  command.add_flag("--other-end", options->other_end)->group("");
  command.add_option("--certificates", options->certificates)->group("");
  command.callback([options] { measure_transports(*options); });
}

}  // namespace troupe::bench
