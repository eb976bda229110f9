import threading

from rag.cache import LeastRecentlyUsed


def test_forgets_what_was_not_asked_for_longest():
    cache = LeastRecentlyUsed(holds=2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1  # now b is the oldest
    cache.put("c", 3)
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (1, None, 3)


def test_a_new_value_replaces_the_old():
    cache = LeastRecentlyUsed(holds=2)
    cache.put("a", 1)
    cache.put("a", 2)
    assert cache.get("a") == 2
    cache.clear()
    assert cache.get("a") is None


def test_many_threads_never_make_it_hold_more():
    cache = LeastRecentlyUsed(holds=10)

    def work(start: int) -> None:
        for n in range(300):
            cache.put((start + n) % 40, n)
            cache.get(n % 40)

    threads = [threading.Thread(target=work, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(cache.items) == 10
