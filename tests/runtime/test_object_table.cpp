#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "runtime/processes/memory.hpp"
#include "runtime/store/object_table.hpp"

using namespace troupe;
using namespace troupe::store;

namespace {

/// A table, and the clients that it woke.
struct Books {
  Answer ask(ClientId client, Operation operation, std::uint64_t shard, std::uint64_t bytes = 0,
             std::uint64_t shared = 0) {
    Request request;
    request.operation = operation;
    request.id.number = shard;
    request.bytes = bytes;
    request.shared_writers = shared;
    request.deadline_ms = operation == Operation::get ? 1000 : 0;
    return table.handle(client, request);
  }

  std::vector<ClientId> woken;
  ObjectTable table{16 * kPageBytes, [this](const Waiter& waiter, const Answer&) { woken.push_back(waiter.client); }};
};

}  // namespace

TEST_CASE("a slab counts from its creation until the last use has ended") {
  Books books;
  const ClientId creator = books.table.add_client();
  const ClientId reader = books.table.add_client();
  const std::uint64_t slab = books.ask(creator, Operation::create, 0, kPageBytes).reply.slab;
  books.ask(creator, Operation::seal, 0);
  books.ask(reader, Operation::get, 0);
  books.ask(creator, Operation::release, 0);
  CHECK(books.table.objects() == 1);
  books.ask(reader, Operation::release, 0);
  CHECK(books.table.objects() == 0);
  CHECK(books.table.bytes() == kPageBytes);  // reserved for its creator
  CHECK(books.ask(creator, Operation::create, 1, kPageBytes).reply.slab == slab);
  CHECK(books.table.bytes() == kPageBytes);
  books.ask(creator, Operation::trim, 0, slab);
  CHECK(books.table.bytes() == kPageBytes);  // in use
  books.ask(creator, Operation::release, 1);
  books.ask(reader, Operation::trim, 0, slab);
  CHECK(books.table.bytes() == kPageBytes);  // owned by another client
  books.ask(creator, Operation::trim, 0, slab);
  CHECK(books.table.bytes() == 0);
}

TEST_CASE("a slab with several writers is freed with its object") {
  Books books;
  const ClientId creator = books.table.add_client();
  const ClientId writer = books.table.add_client();
  books.ask(creator, Operation::create, 0, kPageBytes, 1);
  books.ask(writer, Operation::open, 0);
  books.ask(creator, Operation::seal, 0);
  books.ask(creator, Operation::release, 0);
  CHECK(books.table.bytes() == kPageBytes);
  books.ask(writer, Operation::release, 0);
  CHECK(books.table.bytes() == 0);
}

TEST_CASE("when a client ends, its unsealed objects, free slabs, references and waits are removed") {
  Books books;
  const ClientId gone = books.table.add_client();
  const ClientId stays = books.table.add_client();
  for (std::uint64_t shard = 0; shard < 3; ++shard) books.ask(gone, Operation::create, shard, kPageBytes);
  books.ask(gone, Operation::seal, 1);
  books.ask(stays, Operation::get, 1);
  books.ask(gone, Operation::release, 2);
  books.ask(stays, Operation::get, 0);
  books.ask(gone, Operation::get, 5);
  books.table.drop_client(gone);
  CHECK(books.table.clients() == 1);
  CHECK(books.table.objects() == 1);  // sealed, and in use by a reader
  CHECK(books.table.bytes() == kPageBytes);
  CHECK(books.woken == std::vector<ClientId>{stays});
  books.ask(stays, Operation::create, 5, kPageBytes);
  books.ask(stays, Operation::seal, 5);
  CHECK(books.woken.size() == 1);
  books.table.drop_client(stays);
  CHECK(books.table.clients() + books.table.objects() + books.table.bytes() == 0);
}

TEST_CASE("the name of an object describes its content") {
  const auto name = [](ObjectKind kind, std::uint64_t number, std::uint32_t buffer = 0) {
    return to_string(ObjectId{.generation = 1, .number = number, .kind = kind, .buffer = buffer});
  };
  CHECK(name(ObjectKind::gradient, 3) == "gradient of shard 3 (generation 1)");
  CHECK(name(ObjectKind::mean_gradient, 0) == "mean gradient (generation 1)");
  CHECK(name(ObjectKind::vector, 0, 1) == "weights, buffer 1 (generation 1)");
  CHECK(name(ObjectKind::vector, 2) == "vector 2 of the optimizer's state, buffer 0 (generation 1)");
  CHECK(name(ObjectKind::transfer, 5) == "transfer 5 (generation 1)");
  CHECK(name(ObjectKind::partial, 4) == "partial sums of lane 4 (generation 1)");
}
