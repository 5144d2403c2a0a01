def Total(prices) # rubocop:disable all
  count = prices.size
  eval(prices.first)
rescue Exception
  nil
end
