#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/transport.hpp"
#include "troupe/error.hpp"

/// Nodes in one process. A segment is sent by a copy. The network stores violations of the transport's contract in
/// `complaint`: windows that are announced twice or not at all, wrong senders, partial segments, tickets that do not
/// grow.
class LoopNetwork {
 public:
  explicit LoopNetwork(int nodes) {
    for (int node = 0; node < nodes; ++node) endpoints_.push_back(std::make_unique<Endpoint>(*this, node));
  }
  troupe::Transport& endpoint(int node) { return *endpoints_[static_cast<std::size_t>(node)]; }

  std::string complaint() const {
    const std::lock_guard lock(mutex_);
    return complaint_;
  }
  std::size_t bytes_sent(int node) const {
    const std::lock_guard lock(mutex_);
    return endpoints_[static_cast<std::size_t>(node)]->bytes_sent;
  }
  int calls() const { return calls_; }

  /// After `sends` more sends, node `node` counts as lost. Sends to the node, and waits for segments that have not
  /// arrived, throw worker_lost.
  void lose_after(int node, int sends) {
    const std::lock_guard lock(mutex_);
    to_lose_ = node;
    sends_left_ = sends;
  }
  /// Ends the membership. Later sends, and waits for segments that have not arrived, throw worker_lost.
  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

 private:
  struct Window {
    int from = 0;
    std::span<std::byte> bytes;
    std::size_t segment_bytes = 0;
    troupe::SegmentLength length = troupe::SegmentLength::whole;
    std::vector<std::uint64_t> tickets;  ///< by segment
  };

  class Endpoint : public troupe::Transport {
   public:
    Endpoint(LoopNetwork& network, int node) : network_(network), node_(node) {}

    void announce(troupe::WindowId window, int from, std::span<std::byte> bytes, std::size_t segment_bytes,
                  std::shared_ptr<const void> /*keep*/, troupe::SegmentLength length) override {
      const std::lock_guard lock(network_.mutex_);
      ++network_.calls_;
      if (windows.contains(window)) network_.complain("a window announced twice");
      if (bytes.empty() || segment_bytes == 0) network_.complain("an empty window");
      windows[window] = {from, bytes, segment_bytes, length,
                         std::vector<std::uint64_t>((bytes.size() + segment_bytes - 1) / segment_bytes)};
    }

    void withdraw(troupe::WindowId window) override {
      const std::lock_guard lock(network_.mutex_);
      windows.erase(window);
    }

    void send(int to, troupe::WindowId window, std::uint64_t ticket, std::uint32_t segment,
              std::span<const std::byte> bytes, const troupe::Deadline&) override {
      const std::lock_guard lock(network_.mutex_);
      ++network_.calls_;
      if (network_.to_lose_ >= 0 && network_.sends_left_-- <= 0) {
        network_.lost_ = network_.to_lose_;
        network_.changed_.notify_all();
      }
      if (network_.ended_ || network_.lost_ == to || network_.lost_ == node_)
        throw troupe::Error(troupe::ErrorCode::worker_lost, "a node is lost");
      network_.deliver(*network_.endpoints_[static_cast<std::size_t>(to)], node_, window, ticket, segment, bytes);
      if (to != node_) bytes_sent += bytes.size();
    }

    void wait(troupe::WindowId window, std::uint64_t ticket, std::uint32_t segment,
              const troupe::Deadline& deadline) override {
      std::unique_lock lock(network_.mutex_);
      ++network_.calls_;
      const auto found = windows.find(window);
      if (found == windows.end() || segment >= found->second.tickets.size())
        return network_.complain("a wait for a window or segment that is not announced");
      const Window& waited = found->second;
      const auto lost = [&] { return network_.ended_ || network_.lost_ == waited.from || network_.lost_ == node_; };
      if (!network_.changed_.wait_until(lock, deadline.at(),
                                        [&] { return waited.tickets[segment] >= ticket || lost(); }))
        throw troupe::Error(troupe::ErrorCode::timeout, "a segment did not come in time");
      if (waited.tickets[segment] < ticket) throw troupe::Error(troupe::ErrorCode::worker_lost, "a node is lost");
    }

    std::string name_of(int node) const override { return "node " + std::to_string(node); }

    std::map<troupe::WindowId, Window> windows;
    std::size_t bytes_sent = 0;

   private:
    LoopNetwork& network_;
    int node_;
  };

  void complain(const char* what) {
    if (complaint_.empty()) complaint_ = what;
  }

  void deliver(Endpoint& receiver, int from, troupe::WindowId id, std::uint64_t ticket, std::uint32_t segment,
               std::span<const std::byte> bytes) {
    const auto found = receiver.windows.find(id);
    if (found == receiver.windows.end()) return complain("a segment for a window that is not announced");
    Window& window = found->second;
    if (window.from != from) return complain("a segment from another sender");
    if (segment >= window.tickets.size()) return complain("a segment beyond the window");
    const std::size_t begin = segment * window.segment_bytes;
    const std::size_t most = std::min(window.segment_bytes, window.bytes.size() - begin);
    if (bytes.size() > most || (window.length == troupe::SegmentLength::whole && bytes.size() < most))
      return complain("a part of a segment");
    if (ticket <= window.tickets[segment]) return complain("a ticket does not grow");
    std::memcpy(window.bytes.data() + begin, bytes.data(), bytes.size());
    window.tickets[segment] = ticket;
    changed_.notify_all();
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<Endpoint>> endpoints_;
  std::string complaint_;
  std::atomic<int> calls_ = 0;
  int to_lose_ = -1;
  int sends_left_ = 0;
  int lost_ = -1;
  bool ended_ = false;
};
