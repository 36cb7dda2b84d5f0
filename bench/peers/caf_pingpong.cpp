// Prints the median time of a message of BYTES between actors of two processes, over CAF's own connections on loopback
// without encryption. Prints one JSON line per BYTES, in the format of mpi_pingpong.
//   caf_pingpong [--rounds ROUNDS] BYTES...
//   g++ -std=c++20 -O3 caf_pingpong.cpp -o caf_pingpong -lcaf_io -lcaf_core
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <caf/all.hpp>
#include <caf/io/all.hpp>
#include <cstring>

#include "pingpong.hpp"

namespace {

/// Converts to text, because CAF copies a text at once and serializes a vector word by word.
std::string to_text(const Words& words) {
  return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::uint32_t)};
}

void to_words(const std::string& text, Words& words) {
  words.resize(text.size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), text.data(), text.size());
}

/// Sends messages of one length to another actor.
class Caf {
 public:
  Caf(caf::scoped_actor& self, caf::actor other) : self_(self), other_(std::move(other)) {}
  void send(const Words& words) { self_->send(other_, to_text(words)); }
  const Words& receive() {
    self_->receive([this](const std::string& text) { to_words(text, came_); });
    return came_;
  }

 private:
  caf::scoped_actor& self_;
  caf::actor other_;
  Words came_;
};

struct Config : caf::actor_system_config {
  Config() { load<caf::io::middleman>(); }
};

void play_all(caf::scoped_actor& self, const caf::actor& other, const Arguments& arguments, bool first) {
  for (const long bytes : arguments.bytes) {
    Caf end(self, other);
    play(end, "CAF", bytes, rounds_of(arguments, bytes), first);
  }
}

int be_second(int port_to, const Arguments& arguments) {
  Config config;
  caf::actor_system system(config);
  caf::scoped_actor self(system);
  const auto port = system.middleman().publish(caf::actor_cast<caf::actor>(self), 0, "127.0.0.1");
  if (!port) return 1;
  const std::uint16_t number = *port;
  if (::write(port_to, &number, sizeof number) != sizeof number) return 1;
  caf::actor other;
  self->receive([&](const caf::actor& first) { other = first; });
  play_all(self, other, arguments, false);
  self->receive([](const std::string& /*over*/) {});  // everything that this process sent has arrived
  return 0;
}

int be_first(int port_from, const Arguments& arguments) {
  std::uint16_t number = 0;
  if (::read(port_from, &number, sizeof number) != sizeof number) return 1;
  Config config;
  caf::actor_system system(config);
  caf::scoped_actor self(system);
  const auto other = system.middleman().remote_actor("127.0.0.1", number);
  if (!other) return 1;
  self->send(*other, caf::actor_cast<caf::actor>(self));
  play_all(self, *other, arguments, true);
  self->send(*other, std::string("over"));
  ::wait(nullptr);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = parse(argc, argv);
  if (!are_right(arguments)) {
    std::fprintf(stderr, "usage: caf_pingpong [--rounds ROUNDS] BYTES...\n");
    return 2;
  }
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0) return 1;
  return ::fork() == 0 ? be_second(pipe[1], arguments) : be_first(pipe[0], arguments);
}
